amount = int(input())
ways = [1] + [0] * amount
for coin in map(int, input().split()):
    for paid in range(coin, amount + 1):
        ways[paid] += ways[paid - coin]
print(ways[amount])
