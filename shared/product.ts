/** The product's name, written once. File names use it in lower case. */
export const productName = 'Everkept';
export const productSlug = 'everkept';
/** Where a person who needs help writes to. In every page that is sent, the address of `MAIL_FROM` takes its place. */
export const supportEmail = 'help@everkept.example';
