// What protoc-gen-es makes of a service, for the program on the page.
import { create, createFileRegistry, type Message } from '@bufbuild/protobuf';
import type { GenMessage, GenService } from '@bufbuild/protobuf/codegenv2';
import {
  FileDescriptorProtoSchema,
  type MethodOptions_IdempotencyLevel as Level,
  MethodOptions_IdempotencyLevel,
} from '@bufbuild/protobuf/wkt';

const method = (name: string, idempotencyLevel: Level) => ({
  name,
  inputType: '.greet.v1.Empty',
  outputType: '.greet.v1.Empty',
  options: { idempotencyLevel },
});

const file = create(FileDescriptorProtoSchema, {
  name: 'greet/v1/greet.proto',
  syntax: 'proto3',
  package: 'greet.v1',
  messageType: [{ name: 'Empty' }],
  service: [
    {
      name: 'GreetService',
      method: [
        method('Greet', MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS),
        method('Remember', MethodOptions_IdempotencyLevel.IDEMPOTENCY_UNKNOWN),
      ],
    },
  ],
});

const service = createFileRegistry(file, () => undefined).getService('greet.v1.GreetService');
if (service === undefined) throw new Error('the descriptor has no service');

type Empty = GenMessage<Message<'greet.v1.Empty'>>;
interface Unary {
  methodKind: 'unary';
  input: Empty;
  output: Empty;
}
export const GreetService = service as GenService<{ greet: Unary; remember: Unary }>;
