from math import isqrt


def count_divisors(n):
    return 2 * sum(1 for divisor in range(1, isqrt(n) + 1) if n % divisor == 0)
