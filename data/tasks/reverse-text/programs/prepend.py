def reverse_text(text):
    result = ""
    for character in text:
        result = character + result
    return result
