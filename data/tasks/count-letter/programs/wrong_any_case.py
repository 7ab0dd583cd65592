def count_letter(text, letter):
    return text.lower().count(letter.lower())
