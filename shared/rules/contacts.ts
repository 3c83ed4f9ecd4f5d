/** Highest number of contacts of an owner. Few enough to read on one page. */
export const contactsMax = 20;
