class Swath < Formula
  desc "Exact string comparison on GPUs and CPUs"
  homepage "https://github.com/swath-rs/swath"
  url "https://github.com/swath-rs/swath/archive/refs/tags/v0.1.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license any_of: ["MIT", "Apache-2.0"]

  depends_on "rust" => :build

  on_linux do
    depends_on "vulkan-loader"
  end

  def install
    system "cargo", "install", *std_cargo_args(path: "cli")
    generate_completions_from_executable(bin/"swath", "completions")
    system bin/"swath", "man", "--all", buildpath/"man1"
    man1.install Dir["man1/*"]
  end

  test do
    assert_match(/length +4/, shell_output("#{bin}/swath lcs --text ABCBDAB BDCABA --device cpu"))
    assert_match "swath #{version}", shell_output("#{bin}/swath --version")
  end
end
