from itertools import accumulate


def main():
    input()
    totals = [0, *accumulate(map(int, input().split()))]
    lowest = accumulate(totals, min)
    print(max(total - low for total, low in zip(totals[1:], lowest)))


main()
