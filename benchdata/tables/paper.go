package tables

// paperName is the row name of the paper's numbers.
const paperName = "  paper"

// A paperClass has the paper's numbers for a class: Table 1, Table 2 (max,
// mean, sd for d = 1..5) and Table 3.
type paperClass struct {
	histories, ops int
	c, cp          [3]float64 // max, mean, sd
	schedules      [CountDepths][3]int
	nonSequential  int
	linearizable   int
	shown          [CountDepths]int // "-" in the paper: all of them
}

// paperClasses are Tables 1 to 3 of the paper.
var paperClasses = map[string]*paperClass{
	"ArrayBlockingQueue": {1029, 14, [3]float64{7, 2.21, 0.91}, [3]float64{52, 3.94, 7.71},
		[5][3]int{{7, 2, 1}, {76, 6, 12}, {656, 21, 83}, {4493, 96, 483}, {24639, 412, 2290}},
		723, 714, [5]int{651, 685, 702, 707, 709}},
	"ConcurrentHashMap": {1055, 14, [3]float64{2, 2.00, 0.00}, [3]float64{13, 8.42, 1.93},
		[5][3]int{{2, 2, 0}, {16, 11, 3}, {66, 26, 10}, {157, 39, 23}, {268, 47, 34}},
		1054, 959, [5]int{707, 857, 949, 959, 959}},
	"ConcurrentLinkedDeque": {681, 12, [3]float64{6, 2.37, 0.78}, [3]float64{34, 4.26, 4.85},
		[5][3]int{{6, 3, 1}, {57, 7, 8}, {378, 17, 42}, {1898, 42, 171}, {7321, 98, 568}},
		520, 520, [5]int{387, 478, 515, 519, 520}},
	"ConcurrentLinkedQueue": {780, 14, [3]float64{7, 2.27, 0.85}, [3]float64{49, 4.21, 7.01},
		[5][3]int{{7, 2, 1}, {74, 7, 11}, {580, 22, 78}, {3718, 88, 446}, {19168, 351, 2101}},
		619, 616, [5]int{525, 608, 615, 616, 616}},
	"ConcurrentSkipListMap": {1506, 14, [3]float64{7, 2.28, 0.56}, [3]float64{48, 4.04, 3.62},
		[5][3]int{{7, 3, 1}, {70, 7, 6}, {534, 13, 33}, {3352, 27, 162}, {17028, 65, 687}},
		1358, 1321, [5]int{1311, 1319, 1320, 1321, 1321}},
	"ConcurrentSkipListSet": {417, 18, [3]float64{6, 2.54, 1.28}, [3]float64{63, 10.00, 15.77},
		[5][3]int{{6, 3, 1}, {89, 15, 24}, {875, 94, 222}, {6660, 568, 1499}, {40200, 2876, 8072}},
		417, 417, [5]int{288, 363, 381, 402, 412}},
	"LinkedBlockingDeque": {1131, 8, [3]float64{4, 2.63, 0.82}, [3]float64{18, 5.99, 4.57},
		[5][3]int{{4, 3, 1}, {26, 9, 7}, {113, 22, 27}, {355, 42, 66}, {696, 60, 110}},
		1106, 967, [5]int{743, 920, 963, 967, 967}},
	"LinkedBlockingQueue": {1199, 9, [3]float64{3, 2.54, 0.50}, [3]float64{15, 7.28, 3.40},
		[5][3]int{{3, 3, 0}, {20, 10, 5}, {76, 21, 16}, {175, 33, 30}, {298, 39, 42}},
		1185, 975, [5]int{533, 808, 928, 972, 975}},
	"LinkedTransferQueue": {1355, 15, [3]float64{5, 2.10, 0.45}, [3]float64{43, 4.79, 5.14},
		[5][3]int{{5, 2, 1}, {60, 7, 8}, {474, 17, 56}, {2736, 55, 300}, {12038, 187, 1238}},
		1261, 1229, [5]int{878, 1144, 1203, 1217, 1226}},
	"PriorityBlockingQueue": {1311, 14, [3]float64{7, 2.32, 1.04}, [3]float64{59, 4.94, 9.57},
		[5][3]int{{7, 2, 1}, {85, 7, 14}, {805, 32, 117}, {6043, 167, 757}, {36825, 802, 4057}},
		982, 955, [5]int{793, 910, 935, 949, 955}},
}

// paperLinearizable and paperShown are the totals of Figure 4: 8673
// linearizable histories. For d = 6 the text of the paper adds some histories
// to those of Table 3: two of ArrayBlockingQueue, three of
// ConcurrentSkipListSet and two of LinkedTransferQueue. For d = 7 it gives no
// number.
const paperLinearizable = 8673

var paperShown = [...]int{6816, 8092, 8511, 8629, 8660, 8667}

// paperPercent is the percentage of Figure 4 for depth d, or nil.
func paperPercent(d int) any {
	if d > len(paperShown) {
		return nil
	}
	return percent(paperShown[d-1], paperLinearizable)
}

func (p *paperClass) table3(depths int) []any {
	row := []any{paperName, p.nonSequential, p.linearizable}
	for d := range depths {
		if d < len(p.shown) {
			row = append(row, p.shown[d], percent(p.shown[d], p.linearizable))
		} else {
			row = append(row, nil, nil)
		}
	}
	return row
}

func (p *paperClass) addTable3(q *paperClass) {
	p.nonSequential += q.nonSequential
	p.linearizable += q.linearizable
	for d := range p.shown {
		p.shown[d] += q.shown[d]
	}
}
