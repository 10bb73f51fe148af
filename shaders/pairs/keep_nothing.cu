// pairs/keep_nothing: keeps no windows, for distances alone.
template <class Window> DEVICE void keep_window(const Arguments& at, u32 entry, u32 block, const Window& window) {}
