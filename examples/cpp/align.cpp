// Aligns two texts, then starts a longer call, watches it and cancels it.
//
//     c++ -std=c++17 align.cpp $(pkg-config --cflags --libs swath) -o align
//     ./align
#include <chrono>
#include <iostream>
#include <string>
#include <thread>

#include "swath.hpp"

namespace {

// Random bases of a fixed seed.
std::string bases(std::size_t count, std::uint64_t seed) {
    std::string bases(count, 'A');
    for (char &base : bases) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        base = "ACGT"[seed >> 62];
    }
    return bases;
}

void align(const swath::Engine &engine) {
    swath::Answer answer = engine.run(swath::edit("kitten", "sitting", SWATH_PATH));
    std::cout << "distance " << answer.distance().value() << ", " << answer.cigar() << '\n';
    for (const swath_block &block : answer.blocks())
        std::cout << block.len << " pairs from " << block.a << " and " << block.b << '\n';
}

void start_and_cancel(const swath::Engine &engine) {
    swath::Query query = swath::lcs(bases(200000, 1), bases(200000, 2));
    swath::Job job = engine.start(query, [](double fraction) {
        if (fraction == 1)
            std::cout << "it was over before it was cancelled\n";
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    job.cancel();
    try {
        std::uint64_t length = job.wait().length();
        std::cout << "length " << length << '\n';
    } catch (const swath::Error &error) {
        if (error.status() != SWATH_CANCELLED)
            throw;
        std::cout << "cancelled\n";
    }
}

} // namespace

int main() {
    try {
        swath::Engine engine(swath::on("cpu"));
        align(engine);
        start_and_cancel(engine);
        engine.run(swath::edit("", "target", swath_edit_options{}));
    } catch (const swath::Error &error) {
        // The last call has options without a size.
        std::cout << "error " << error.status() << ": " << error.what() << '\n';
        return error.status() == SWATH_INVALID_ARGUMENT ? 0 : 1;
    }
    return 1;
}
