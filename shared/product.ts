/** The product's name, written once. File names use it in lower case. */
export const productName = 'Everkept';
export const productSlug = 'everkept';
/** Support address. Each page is sent with the address of `MAIL_FROM` in its place. */
export const supportEmail = 'help@everkept.example';
