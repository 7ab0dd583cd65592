from collections import Counter


def main():
    _, s = map(int, input().split())
    counts = Counter(map(int, input().split()))
    ordered = sum(times * counts.get(s - number, 0) for number, times in counts.items())
    if s % 2 == 0:
        ordered -= counts.get(s // 2, 0)
    print(ordered // 2)


main()
