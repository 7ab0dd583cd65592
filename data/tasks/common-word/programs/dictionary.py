import sys


def main():
    counts = {}
    for word in sys.stdin.read().split():
        counts[word] = counts.get(word, 0) + 1
    best = max(counts, key=counts.get)
    print(best, counts[best])


main()
