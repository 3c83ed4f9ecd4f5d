/** The product's name, written once. File names use it in lower case. */
export const productName = 'Everkept';
export const productSlug = 'everkept';
/** Where a person who needs help writes to. The operator's own address replaces it through `MAIL_FROM`. */
export const supportEmail = 'help@everkept.example';
