def count_letter(text, letter):
    count = 0
    for i in range(len(text)):
        if text[i] == letter:
            count = count + 1
    return count
