/** The part of pngjs that the example uses. */
declare module "pngjs" {
  /** 8 bits each of red, green, blue and alpha. */
  export interface Pixels {
    width: number;
    height: number;
    data: Buffer;
  }
  export const PNG: {
    readonly sync: {
      read(file: Buffer): Pixels;
      write(picture: Pixels, options?: { colorType?: number; deflateLevel?: number }): Buffer;
    };
  };
}
