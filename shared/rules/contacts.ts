/** People one owner may name: more than anybody needs, few enough to be read on a page. */
export const contactsMax = 20;
