/** Kinds of mail about proposed addresses, as the notifications know them, which more than one feature has to name. */

/** The mail that asks another contact whether an address is right. */
export const agreeingKind = 'release.new-address';
/** The mail that asks a contact to look again at an address that they had proposed before a restore. */
export const addressAgainKind = 'release.address-again';
/** The mail to another address of a silent owner, which a contact gave. */
export const otherAddressKind = 'release.other-address';
/** The kinds of mail that a freeze holds, besides letters: questions to contacts, and the mail to another address of the owner. */
export const kindsHeldWhileFrozen = ['release.contact_asked', agreeingKind, otherAddressKind] as const;
