/** Kinds of mail about proposed addresses, as the notifications know them, which more than one feature has to name. */

/** The mail that asks another contact whether an address is right. */
export const agreeingKind = 'release.new-address';
/** The mail that asks a contact to look again at an address that they had proposed before a restore. */
export const addressAgainKind = 'release.address-again';
/** The kinds of mail to contacts that a freeze holds: the question what has happened, and whether an address is right. */
export const kindsHeldWhileFrozen = ['release.contact_asked', agreeingKind] as const;
