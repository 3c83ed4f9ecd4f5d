/** Kind of the mail that asks another contact if an address is right. */
export const agreeingKind = 'release.new-address';
/** Kind of the mail that asks a contact to check an address that they had proposed before a restore. */
export const addressAgainKind = 'release.address-again';
/** Kind of the mail to another address of a silent owner, which a contact gave. */
export const otherAddressKind = 'release.other-address';
/**
 * Kinds of mail that a freeze stops in addition to letters: questions to contacts, and the mail to another address of
 * the owner.
 */
export const kindsFrozenWithLetters = ['release.contact_asked', agreeingKind, otherAddressKind] as const;
