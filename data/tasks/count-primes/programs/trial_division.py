n = int(input())
count = 0
for number in range(2, n + 1):
    prime = True
    for divisor in range(2, number):
        if number % divisor == 0:
            prime = False
            break
    if prime:
        count += 1
print(count)
