def count_letter(text, letter):
    return sum(1 for character in text if character == letter)
