amount = int(input())
coins = list(map(int, input().split()))
ways = [1] + [0] * amount
for paid in range(1, amount + 1):
    for coin in coins:
        if coin <= paid:
            ways[paid] += ways[paid - coin]
print(ways[amount])
