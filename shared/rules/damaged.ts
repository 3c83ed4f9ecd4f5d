/** Stands where the name of something stood whose seal is broken. What to do about it, the page says. */
export const damagedTitle = 'This could not be opened';
