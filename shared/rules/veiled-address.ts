/** Enough of an address for its owner to know it again: `s…@ashworth.example`. A forwarded mail must not tell all of it. */
export function veiledAddress(email: string): string {
  const at = email.lastIndexOf('@');
  const [first = ''] = email.slice(0, at);
  return `${first}…${email.slice(at)}`;
}
