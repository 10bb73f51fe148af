# Sourced: installs Debian packages if possible.

# Installs packages, or prints the command to do so.
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
    # An outdated package list may suffice.
    "${as_root[@]}" apt-get update -q </dev/null || true
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@" </dev/null
}
