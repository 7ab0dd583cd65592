n = int(input())
count = 0
for number in range(2, n + 1):
    divisor = 2
    while divisor * divisor < number and number % divisor:
        divisor += 1
    if divisor * divisor >= number:
        count += 1
print(count)
