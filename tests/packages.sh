# Sourced: installs Debian packages where that is possible.

# Installs packages; where it cannot, says what to install.
install_packages() {
    local as_root=()
    if ! command -v apt-get >/dev/null; then
        echo "install what Debian has in the packages: $*" >&2
        return 1
    fi
    if [[ "$(id -u)" != 0 ]]; then
        if ! command -v sudo >/dev/null; then
            echo "as root, run: apt-get install $*" >&2
            return 1
        fi
        as_root=(sudo)
    fi
    # Lists that cannot be refreshed may still do.
    "${as_root[@]}" apt-get update -q </dev/null || true
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@" </dev/null
}
