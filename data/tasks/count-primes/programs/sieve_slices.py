from math import isqrt

n = int(input())
prime = bytearray([1]) * (n + 1)
prime[:2] = bytes(2)
for number in range(2, isqrt(n) + 1):
    if prime[number]:
        prime[number * number :: number] = bytes(len(range(number * number, n + 1, number)))
print(sum(prime))
