import sys
from itertools import accumulate


def main():
    data = list(map(int, sys.stdin.buffer.read().split()))
    n = data[0]
    before = [0, *accumulate(data[2 : n + 2])]
    ends = data[n + 2 :]
    pairs = zip(ends[::2], ends[1::2])
    print("\n".join([str(before[right] - before[left - 1]) for left, right in pairs]))


main()
