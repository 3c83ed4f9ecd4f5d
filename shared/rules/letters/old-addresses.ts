/** Addresses that are asked about at a time. The next ones come once some are confirmed. */
export const oldAddressesMax = 10;
