// anti_diagonal/no_origins: cells without origins, for sweeps that need the last cell only.
template <class P> DEVICE void trace(const Arguments& at, const P& params, u32 row, bool up, bool equal) {}
