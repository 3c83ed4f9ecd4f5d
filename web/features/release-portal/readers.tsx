import type { Portal } from '#shared/contract/release/portal.ts';

/** All people whom one message is for, each with the name before the address. */
export function Readers({ recipients }: Pick<Portal['messages'][number], 'recipients'>) {
  if (recipients.length === 0) return null;
  if (recipients.length === 1 && recipients[0]) return <Reader {...recipients[0]} />;
  return (
    <ul>
      {recipients.map((recipient) => (
        <li key={recipient.email}>
          <Reader {...recipient} />
        </li>
      ))}
    </ul>
  );
}

function Reader({ name, email }: Portal['messages'][number]['recipients'][number]) {
  return name === null ? (
    email
  ) : (
    <>
      <bdi>{name}</bdi>, {email}
    </>
  );
}
