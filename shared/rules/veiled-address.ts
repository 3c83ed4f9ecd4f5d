/** Enough of an address for its owner to know it again: `s…@ashworth.example`. A forwarded mail must not tell all of it. */
export function veiledAddress(email: string): string {
  const at = email.lastIndexOf('@');
  const [first = ''] = email.slice(0, at);
  return `${first}…${email.slice(at)}`;
}

/** Name that two addresses of one mailbox share: most servers drop what follows a plus, Google's dots too. */
export function mailboxOf(address: string): string {
  const [local = '', domain = ''] = address.toLowerCase().split('@');
  const name = local.split('+')[0] ?? local;
  const isGoogle = domain === 'gmail.com' || domain === 'googlemail.com';
  return isGoogle ? `${name.replaceAll('.', '')}@gmail.com` : `${name}@${domain}`;
}
