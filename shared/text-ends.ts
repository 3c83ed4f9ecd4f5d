/** The text without these characters at its end. A pattern such as `/[. ]+$/` needs the square of the time. */
export function withoutEnd(text: string, characters: string | RegExp): string {
  const isOne = (one: string) => (typeof characters === 'string' ? characters.includes(one) : characters.test(one));
  let end = text.length;
  while (end > 0 && isOne(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
