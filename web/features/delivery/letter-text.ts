import type { DeliveredMessage } from '#shared/contract/letters/delivery.ts';
import { longDate } from '#web/lib/format.ts';

const fileNameLengthMax = 80;

/** The letter as a text file: everything that the page shows of it. */
export function letterAsText({
  title,
  content,
  senderName,
  createdAt,
  deliveredAt,
  attachment,
  enclosures,
}: DeliveredMessage): string {
  return [
    title,
    '',
    `${senderName} wrote this for you.`,
    `Written ${longDate(createdAt)}. Delivered ${longDate(deliveredAt)}.`,
    '',
    content.replace(/\r\n?/g, '\n'),
    '',
    ...enclosures.flatMap(({ name, caption, transcript }) => [
      `Enclosed: ${caption === '' ? name : `${name}, ${caption}`}`,
      ...(transcript === '' ? [''] : ['', transcript.replace(/\r\n?/g, '\n'), '']),
    ]),
    ...(attachment ? [`Enclosed: ${attachment.name}`, ''] : []),
  ].join('\n');
}

/** A name that every file system takes. */
export function fileNameOf(title: string): string {
  const plain = title
    .replace(/[\p{Cc}\p{Cf}\\/:*?"<>|]/gu, ' ')
    .replace(/\s+/g, ' ')
    .replace(/^[. ]+|[. ]+$/g, '')
    .slice(0, fileNameLengthMax)
    .trim();
  return `${plain || 'Letter'}.txt`;
}
