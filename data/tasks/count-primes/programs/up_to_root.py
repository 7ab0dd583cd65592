from math import isqrt


def is_prime(number):
    return all(number % divisor for divisor in range(2, isqrt(number) + 1))


print(sum(is_prime(number) for number in range(2, int(input()) + 1)))
