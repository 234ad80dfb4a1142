package further

import (
	"strconv"
	"strings"

	victoria "github.com/VictoriaMetrics/metrics"
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/rcrowley/go-metrics"
)

// EWMA is an EWMA of github.com/rcrowley/go-metrics.
type EWMA struct{ e metrics.EWMA }

func NewEWMA() *EWMA { return &EWMA{metrics.NewEWMA(0.5)} }

func (e *EWMA) Tick()        { e.e.Tick() }
func (e *EWMA) Update(n int) { e.e.Update(int64(n)) }

// Rate is for a tick, not for a second.
func (e *EWMA) Rate() float64 { return 5 * e.e.Rate() }

// Registry is a Registry of github.com/rcrowley/go-metrics. Its metrics are
// gauges.
type Registry struct{ r metrics.Registry }

func NewRegistry() *Registry { return &Registry{metrics.NewRegistry()} }

func gauge(value int) metrics.Gauge {
	g := metrics.NewGauge()
	g.Update(int64(value))
	return g
}

// Register registers a gauge with the value.
func (r *Registry) Register(name string, value int) error { return r.r.Register(name, gauge(value)) }
func (r *Registry) Unregister(name string)                { r.r.Unregister(name) }
func (r *Registry) UnregisterAll()                        { r.r.UnregisterAll() }

// Get returns the value of the gauge, or null.
func (r *Registry) Get(name string) any { return valueOf(r.r.Get(name)) }

// GetOrRegister returns the value of the gauge. For a new one it returns value: the
// gauge's may have changed already.
func (r *Registry) GetOrRegister(name string, value int) any {
	g := gauge(value)
	if registered := r.r.GetOrRegister(name, g); registered != g {
		return valueOf(registered)
	}
	return int64(value)
}

func valueOf(metric any) any {
	if metric == nil {
		return nil
	}
	return metric.(metrics.Gauge).Value()
}

// Update updates the gauge, if there is one.
func (r *Registry) Update(name string, value int) {
	if g := r.r.Get(name); g != nil {
		g.(metrics.Gauge).Update(int64(value))
	}
}

// GetAll returns the values of the gauges.
func (r *Registry) GetAll() map[string]any {
	m := map[string]any{}
	for name, values := range r.r.GetAll() {
		m[name] = values["value"]
	}
	return m
}

// Each returns the visited names.
func (r *Registry) Each() []string {
	var names []string
	r.r.Each(func(name string, _ any) { names = append(names, name) })
	return sorted(names)
}

// Sample is a Histogram of github.com/rcrowley/go-metrics with a UniformSample.
type Sample struct{ metrics.Histogram }

// NewSample returns a histogram that no program fills, since what a full one keeps
// is random.
func NewSample() *Sample { return &Sample{metrics.NewHistogram(metrics.NewUniformSample(100))} }

// Snapshot returns the count and the sum.
func (s *Sample) Snapshot() (count, sum int64) {
	snapshot := s.Histogram.Snapshot()
	return snapshot.Count(), snapshot.Sum()
}

// VictoriaSet is a Set of github.com/VictoriaMetrics/metrics, of counters.
type VictoriaSet struct{ s *victoria.Set }

func NewVictoriaSet() *VictoriaSet { return &VictoriaSet{victoria.NewSet()} }

func counterName(n int) string { return "m" + strconv.Itoa(n) }

// NewCounter panics if there is such a counter.
func (s *VictoriaSet) NewCounter(n int)            { s.s.NewCounter(counterName(n)) }
func (s *VictoriaSet) GetOrCreateCounter(n int)    { s.s.GetOrCreateCounter(counterName(n)) }
func (s *VictoriaSet) UnregisterMetric(n int) bool { return s.s.UnregisterMetric(counterName(n)) }
func (s *VictoriaSet) UnregisterAllMetrics()       { s.s.UnregisterAllMetrics() }
func (s *VictoriaSet) ListMetricNames() []string   { return sorted(s.s.ListMetricNames()) }

// WritePrometheus returns what is written.
func (s *VictoriaSet) WritePrometheus() string { return written(s.s) }

func written(s *victoria.Set) string {
	var b strings.Builder
	s.WritePrometheus(&b)
	return b.String()
}

// VictoriaHistogram is a Histogram of github.com/VictoriaMetrics/metrics.
type VictoriaHistogram struct {
	s *victoria.Set
	h *victoria.Histogram
}

func NewVictoriaHistogram() *VictoriaHistogram {
	s := victoria.NewSet()
	return &VictoriaHistogram{s, s.NewHistogram("h")}
}

func (h *VictoriaHistogram) Reset()       { h.h.Reset() }
func (h *VictoriaHistogram) Update(v int) { h.h.Update(float64(v)) }

// WritePrometheus returns the sum and the count that the set writes.
func (h *VictoriaHistogram) WritePrometheus() string {
	var lines []string
	for line := range strings.Lines(written(h.s)) {
		if !strings.Contains(line, "bucket") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return strings.Join(lines, ", ")
}

// VisitNonZeroBuckets returns the counts of the buckets, in its order.
func (h *VictoriaHistogram) VisitNonZeroBuckets() []uint64 {
	var counts []uint64
	h.h.VisitNonZeroBuckets(func(_ string, count uint64) { counts = append(counts, count) })
	return counts
}

// VictoriaGauge is a Gauge of github.com/VictoriaMetrics/metrics.
type VictoriaGauge struct{ g *victoria.Gauge }

func NewVictoriaGauge() *VictoriaGauge {
	return &VictoriaGauge{victoria.NewSet().NewGauge("g", nil)}
}

func (g *VictoriaGauge) Add(n int)    { g.g.Add(float64(n)) }
func (g *VictoriaGauge) Dec()         { g.g.Dec() }
func (g *VictoriaGauge) Get() float64 { return g.g.Get() }
func (g *VictoriaGauge) Inc()         { g.g.Inc() }
func (g *VictoriaGauge) Set(n int)    { g.g.Set(float64(n)) }

// PrometheusCounter is a Counter of github.com/prometheus/client_golang.
type PrometheusCounter struct{ c prometheus.Counter }

func NewPrometheusCounter() *PrometheusCounter {
	return &PrometheusCounter{prometheus.NewCounter(prometheus.CounterOpts{Name: "c"})}
}

func (c *PrometheusCounter) Inc() { c.c.Inc() }

// Add adds half of n.
func (c *PrometheusCounter) Add(n int) { c.c.Add(float64(n) / 2) }

// Write returns the value.
func (c *PrometheusCounter) Write() (float64, error) {
	var m dto.Metric
	err := c.c.Write(&m)
	return m.GetCounter().GetValue(), err
}

// PrometheusGauge is a Gauge of github.com/prometheus/client_golang.
type PrometheusGauge struct{ g prometheus.Gauge }

func NewPrometheusGauge() *PrometheusGauge {
	return &PrometheusGauge{prometheus.NewGauge(prometheus.GaugeOpts{Name: "g"})}
}

func (g *PrometheusGauge) Add(n int) { g.g.Add(float64(n)) }
func (g *PrometheusGauge) Dec()      { g.g.Dec() }
func (g *PrometheusGauge) Inc()      { g.g.Inc() }
func (g *PrometheusGauge) Set(n int) { g.g.Set(float64(n)) }
func (g *PrometheusGauge) Sub(n int) { g.g.Sub(float64(n)) }

// Write returns the value.
func (g *PrometheusGauge) Write() (float64, error) {
	var m dto.Metric
	err := g.g.Write(&m)
	return m.GetGauge().GetValue(), err
}

// PrometheusHistogram is a Histogram of github.com/prometheus/client_golang with
// one bucket.
type PrometheusHistogram struct{ h prometheus.Histogram }

func NewPrometheusHistogram() *PrometheusHistogram {
	return &PrometheusHistogram{prometheus.NewHistogram(prometheus.HistogramOpts{Name: "h", Buckets: []float64{0.5}})}
}

func (h *PrometheusHistogram) Observe(n int) { h.h.Observe(float64(n)) }

// Write returns the count, the sum and the count of the bucket.
func (h *PrometheusHistogram) Write() (count uint64, sum float64, bucket uint64, err error) {
	var m dto.Metric
	err = h.h.Write(&m)
	return m.Histogram.GetSampleCount(), m.Histogram.GetSampleSum(), m.Histogram.Bucket[0].GetCumulativeCount(), err
}

// PrometheusVec is a CounterVec of github.com/prometheus/client_golang with one
// label.
type PrometheusVec struct{ v *prometheus.CounterVec }

func NewPrometheusVec() *PrometheusVec {
	return &PrometheusVec{prometheus.NewCounterVec(prometheus.CounterOpts{Name: "c"}, []string{"label"})}
}

func (v *PrometheusVec) DeleteLabelValues(label string) bool { return v.v.DeleteLabelValues(label) }
func (v *PrometheusVec) Reset()                              { v.v.Reset() }

// WithLabelValues makes the counter, if there is none, and changes nothing else.
func (v *PrometheusVec) WithLabelValues(label string) { v.v.WithLabelValues(label) }

// Collect returns how many counters there are.
func (v *PrometheusVec) Collect() int {
	ch := make(chan prometheus.Metric, 16)
	v.v.Collect(ch)
	return len(ch)
}
