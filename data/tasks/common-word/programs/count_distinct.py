import sys

words = sys.stdin.read().split()
best, most = "", 0
for word in dict.fromkeys(words):
    count = words.count(word)
    if count > most:
        best, most = word, count
print(best, most)
