// C++17 on swath.h: handles that free themselves, and errors as exceptions.
//
//     swath::Engine engine(swath::on("cpu"));
//     swath::Query query = swath::edit("kitten", "sitting", SWATH_PATH);
//     swath::Answer answer = engine.run(query);
//     std::cout << answer.distance() << ' ' << answer.cigar() << '\n';
//
// Handles can be moved and not copied. Ranges and texts of an answer live as long as it does. Parts
// without a method are read by the functions of swath.h with get().
#ifndef SWATH_HPP
#define SWATH_HPP

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "swath.h"

namespace swath {

// An error of the library: its code, and its message as what().
class Error : public std::runtime_error {
public:
    Error(swath_status status, const char *message) : std::runtime_error(message), status_(status) {}

    swath_status status() const noexcept { return status_; }

private:
    swath_status status_;
};

// Throws an Error unless the status is SWATH_OK.
inline void check(swath_status status) {
    if (status != SWATH_OK)
        throw Error(status, swath_error_message());
}

// An array of an answer.
template <class T> class Range {
public:
    Range(const T *data, std::size_t size) : data_(data), size_(size) {}

    const T *begin() const noexcept { return data_; }
    const T *end() const noexcept { return data_ + size_; }
    std::size_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    const T &operator[](std::size_t index) const noexcept { return data_[index]; }

private:
    const T *data_;
    std::size_t size_;
};

// A handle that is freed once.
template <class T, void (*free)(T *)> class Handle {
public:
    explicit Handle(T *handle) noexcept : handle_(handle) {}

    T *get() const noexcept { return handle_.get(); }

private:
    struct Free {
        void operator()(T *handle) const noexcept { free(handle); }
    };
    std::unique_ptr<T, Free> handle_;
};

// The answer of a query.
class Answer : public Handle<swath_answer, swath_answer_free> {
public:
    using Handle::Handle;

    // The distance; nothing if it exceeds the bound.
    std::optional<std::uint64_t> distance() const {
        std::uint64_t distance;
        swath_status status = swath_answer_distance(get(), &distance);
        if (status == SWATH_NO_PART)
            return std::nullopt;
        check(status);
        return distance;
    }

    std::uint64_t length() const { return number(swath_answer_length); }
    std::uint64_t cost() const { return number(swath_answer_cost); }
    std::string_view cigar() const { return text(swath_answer_cigar); }
    std::string_view json() const { return text(swath_answer_json); }

    Range<swath_block> blocks() const { return array(swath_answer_blocks); }
    Range<swath_piece> pieces() const { return array(swath_answer_pieces); }
    Range<swath_match> matches() const { return array(swath_answer_matches); }
    Range<swath_neighbor> neighbors() const { return array(swath_answer_neighbors); }
    Range<swath_place> places() const { return array(swath_answer_places); }
    Range<swath_pair_value> pairs() const { return array(swath_answer_pairs); }
    Range<swath_node> nodes() const { return array(swath_answer_nodes); }
    Range<std::uint32_t> clusters() const { return array(swath_answer_clusters); }

    // Method, device and time.
    swath_run_record run() const {
        swath_run_record record{};
        record.size = sizeof record;
        check(swath_answer_run(get(), &record));
        return record;
    }

private:
    std::uint64_t number(swath_status (*part)(const swath_answer *, std::uint64_t *)) const {
        std::uint64_t number;
        check(part(get(), &number));
        return number;
    }

    std::string_view text(swath_status (*part)(const swath_answer *, const char **)) const {
        const char *text;
        check(part(get(), &text));
        return text;
    }

    template <class T>
    Range<T> array(swath_status (*part)(const swath_answer *, const T **, std::size_t *)) const {
        const T *items;
        std::size_t size;
        check(part(get(), &items, &size));
        return {items, size};
    }
};

// A problem with its inputs, from edit() or lcs() below or any function of swath.h:
//
//     swath::Query query = swath::made(swath_query_matrix_chain, dimensions.data(), dimensions.size());
using Query = Handle<swath_query, swath_query_free>;

template <class Function, class... Arguments> Query made(Function function, Arguments... arguments) {
    swath_query *query = nullptr;
    check(function(arguments..., &query));
    return Query(query);
}

inline swath_symbols symbols(std::string_view text) {
    return swath_bytes(text.data(), text.size());
}

// The edit distance of two sequences.
inline Query edit(std::string_view a, std::string_view b, swath_edit_options options) {
    swath_symbols first = symbols(a), second = symbols(b);
    return made(swath_query_edit, &first, &second, &options);
}

inline Query edit(std::string_view a, std::string_view b, std::uint32_t flags = 0) {
    swath_edit_options options{};
    options.size = sizeof options;
    options.flags = flags;
    return edit(a, b, options);
}

// The longest common subsequence of two sequences.
inline Query lcs(std::string_view a, std::string_view b, std::uint32_t flags = 0) {
    swath_symbols first = symbols(a), second = symbols(b);
    swath_lcs_options options{};
    options.size = sizeof options;
    options.flags = flags;
    return made(swath_query_lcs, &first, &second, &options);
}

// A call on another thread. Destroying it cancels the call, and waits until the callback is unused.
class Job {
public:
    using Progress = std::function<void(double fraction)>;

    Job(const swath_engine *engine, const Query &query, Progress progress)
        : progress_(std::make_unique<Progress>(std::move(progress))), job_(nullptr) {
        swath_control control{};
        control.size = sizeof control;
        if (*progress_) {
            control.progress = report;
            control.user = progress_.get();
        }
        swath_job *job = nullptr;
        check(swath_start(engine, query.get(), &control, &job));
        job_ = Handle<swath_job, swath_job_free>(job);
    }

    Job(Job &&) = default;
    Job &operator=(Job &&) = delete;

    ~Job() {
        cancel();
        swath_answer *answer = nullptr;
        // An error if the answer was taken, and the call has ended.
        if (job_.get())
            swath_job_wait(job_.get(), &answer);
        swath_answer_free(answer);
    }

    // The fraction that is done, from 0 to 1.
    double fraction() const {
        swath_progress progress{};
        progress.size = sizeof progress;
        check(swath_job_progress(job_.get(), &progress));
        return progress.fraction;
    }

    // The answer if the call has ended, once.
    std::optional<Answer> poll() {
        swath_answer *answer = nullptr;
        swath_status status = swath_job_poll(job_.get(), &answer);
        if (status == SWATH_RUNNING)
            return std::nullopt;
        check(status);
        return Answer(answer);
    }

    // Waits for the answer, once.
    Answer wait() {
        swath_answer *answer = nullptr;
        check(swath_job_wait(job_.get(), &answer));
        return Answer(answer);
    }

    // Ends the call with SWATH_CANCELLED. Safe in any thread.
    void cancel() noexcept { swath_job_cancel(job_.get()); }

private:
    static void report(const swath_progress *progress, void *user) {
        try {
            (*static_cast<Progress *>(user))(progress->fraction);
        } catch (...) {
            // An exception must not leave a callback; the call goes on.
        }
    }

    std::unique_ptr<Progress> progress_;
    Handle<swath_job, swath_job_free> job_;
};

// Options of an engine on a device: "auto", "cpu", "vulkan:0", ...
inline swath_engine_options on(const char *device) {
    swath_engine_options options{};
    options.size = sizeof options;
    options.device = device;
    return options;
}

// Devices and threads. Any number of threads may use one engine.
class Engine : public Handle<swath_engine, swath_engine_free> {
public:
    explicit Engine(const swath_engine_options &options = on(nullptr)) : Handle(created(options)) {}

    Answer run(const Query &query) const {
        swath_answer *answer = nullptr;
        check(swath_run(get(), query.get(), nullptr, &answer));
        return Answer(answer);
    }

    Job start(const Query &query, Job::Progress progress = nullptr) const {
        return Job(get(), query, std::move(progress));
    }

private:
    static swath_engine *created(const swath_engine_options &options) {
        swath_engine *engine = nullptr;
        check(swath_engine_new(&options, &engine));
        return engine;
    }
};

} // namespace swath

#endif // SWATH_HPP
