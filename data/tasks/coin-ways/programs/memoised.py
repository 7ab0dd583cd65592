from functools import lru_cache


@lru_cache(maxsize=None)
def count_ways(amount, kinds):
    if amount == 0:
        return 1
    if amount < 0 or kinds == 0:
        return 0
    return count_ways(amount, kinds - 1) + count_ways(amount - coins[kinds - 1], kinds)


amount = int(input())
coins = list(map(int, input().split()))
print(count_ways(amount, len(coins)))
