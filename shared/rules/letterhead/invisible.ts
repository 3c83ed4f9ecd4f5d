/**
 * Characters that show nothing: format characters, fillers, and the blank pattern of Braille. Telephones and messengers
 * add some around a name, a number or an address that is copied.
 */
const invisible = /[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/gu;

export function withoutInvisible(text: string): string {
  return text.replace(invisible, '');
}

/** The text without white space at its ends. Empty if nothing in it can be seen. */
export function trimmedText(text: string): string {
  return withoutInvisible(text).trim() === '' ? '' : text.trim();
}
