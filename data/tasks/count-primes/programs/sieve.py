n = int(input())
prime = [True] * (n + 1)
count = 0
for number in range(2, n + 1):
    if prime[number]:
        count += 1
        for multiple in range(number * number, n + 1, number):
            prime[multiple] = False
print(count)
