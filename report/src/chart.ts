// What the frame around a figure needs of a chart, whatever it draws.

// A mark that can be read: where it is in the picture, and what it says.
export interface Target {
  left: number;
  top: number;
  series: number;
  lines: [string, string][];
}

export interface Drawing {
  picture: SVGSVGElement;
  targets: Target[];
  remark: string; // what the picture leaves out, if anything
  zoomable?: { // where there is an axis to zoom
    edges: [number, number]; // pixels
    xAt(left: number): number;
  };
}

// What the reader of the page has chosen.
export interface View {
  width: number;
  hidden: Set<number>;
  x: string;
  logX: boolean;
  logY: boolean;
  zoom: [number, number] | null;
}
