from itertools import accumulate


def main():
    n, k = map(int, input().split())
    numbers = list(map(int, input().split()))
    # A window covers the end of one block of k numbers and the beginning of the next.
    beginnings, ends = [], []
    for start in range(0, n, k):
        block = numbers[start : start + k]
        beginnings += accumulate(block, max)
        ends += list(accumulate(reversed(block), max))[::-1]
    print(*map(max, ends, beginnings[k - 1 :]))


main()
