import { suite } from '@ebb/core/testing/suite';
import { describe, test } from 'vitest';
import { clients } from './clients.ts';
import { mock, mockBehindServer } from './msw.ts';
import { axiosOverHttp, type ClientName, traits } from './traits.ts';

for (const [name, client] of Object.entries(clients)) {
  const own = traits[name as ClientName];
  const adapter = { client, ...own, differs: { ...own.differs, ...(name === 'axios' && axiosOverHttp) } };
  suite({ describe, test }, { ...adapter, name: `${name} over sockets` });
  const over = name === 'undici' ? mockBehindServer : mock;
  suite({ describe, test }, { ...adapter, name: `${name} over MSW`, mock: over });
}
