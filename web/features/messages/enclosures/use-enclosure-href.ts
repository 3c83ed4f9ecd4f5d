import { getEnclosure } from '#shared/contract/letters/enclosures.ts';
import type { Message } from '#shared/contract/messages.ts';
import { addressOf } from '#web/lib/api/api.ts';
import { useObjectUrl } from '#web/lib/use-object-url.ts';
import type { Enclosing } from './enclosing.ts';

/** Where something in the envelope can be seen or heard: in the vault, or still on this device. */
export function useEnclosureHref(message: Message | undefined, enclosing: Enclosing): string | undefined {
  const url = useObjectUrl('file' in enclosing ? enclosing.file : undefined);
  if (!message || !('stored' in enclosing)) return url;
  return addressOf(getEnclosure, { params: { id: message.id, enclosureId: enclosing.stored.id } });
}
