// A program in Go with methods, an interface, a closure and generics, for names and facts.
package main

import (
	"fmt"
	"os"
	"sort"
)

type shape interface{ area() float64 }

type square struct{ side float64 }

type circle struct{ radius float64 }

func (s square) area() float64 { return s.side * s.side }

//go:noinline
func (c *circle) area() float64 { return 3.14 * c.radius * c.radius }

//go:noinline
func total[T shape](all []T) float64 {
	sum := 0.0
	for _, one := range all {
		sum += one.area()
	}
	return sum
}

func main() {
	words := os.Args[1:]
	sort.Slice(words, func(i, j int) bool { return words[i] < words[j] })
	fmt.Println(words, total([]shape{square{2}, &circle{1}}))
}
