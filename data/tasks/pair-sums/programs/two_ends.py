from itertools import groupby


def main():
    _, s = map(int, input().split())
    runs = [(key, len(list(run))) for key, run in groupby(sorted(map(int, input().split())))]
    low, high, count = 0, len(runs) - 1, 0
    while low < high:
        total = runs[low][0] + runs[high][0]
        if total == s:
            count += runs[low][1] * runs[high][1]
        if total <= s:
            low += 1
        else:
            high -= 1
    if low == high and 2 * runs[low][0] == s:
        count += runs[low][1] * (runs[low][1] - 1) // 2
    print(count)


main()
