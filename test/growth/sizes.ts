/** How much a server says, in characters. */
export const SIZES: readonly number[] = [4_096, 8_192, 16_384, 32_768, 65_536];
