def reverse_text(text):
    characters = []
    for position in range(len(text) - 1, -1, -1):
        characters.append(text[position])
    return "".join(characters)
