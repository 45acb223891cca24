// Uses the Go client from openapi-generator, in which parameters are named. Fields are read and set directly, and in
// literals, so that a field with another type is noticed.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"changes/ROW/tickets"
)

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	ctx := context.Background()
	configuration := tickets.NewConfiguration()
	configuration.Servers = tickets.ServerConfigurations{{URL: os.Getenv("BASE_URL")}}
	api := tickets.NewAPIClient(configuration).DesksAPI

	since, until := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2025, 2, 1, 0, 0, 0, 0, time.UTC)
	sales, _, err := api.ListSales(ctx, "d1").Side(tickets.SIDE_STALLS_LEFT).Since(since).Until(until).Count(5).Execute()
	must(err)
	for _, it := range sales.Items {
		var price, seat string = it.Price, it.SeatId
		var side *tickets.Side = it.Side
		fmt.Println(it.Id, price, seat, *side, *side == tickets.SIDE_STALLS_RIGHT)
	}

	desks, _, err := api.ListDesks(ctx).Ids([]string{"a", "b"}).Limit(10).Execute()
	must(err)
	for _, it := range desks.Items {
		var memo *string = it.Memo
		var hall tickets.NullableString = it.Hall
		fmt.Println(it.Id, it.OpenedAt.Format("2006-01-02"), *memo, it.Metadata, *hall.Get())
	}

	constructed := tickets.NewNewClerk("Ann", "Bonn")
	constructed.SetRoles([]string{"seller"})
	note := "new"
	literal := tickets.NewClerk{Name: "Ann", City: "Bonn", Roles: []string{"seller"}, Note: &note}
	request := tickets.AddClerksRequest{Clerks: []tickets.NewClerk{*constructed, literal}}
	added, _, err := api.AddClerks(ctx).AddClerksRequest(request).Execute()
	must(err)
	for _, it := range added.Clerks {
		var name, id string = it.Name, it.Id
		fmt.Println(name, id, it.Roles)
	}
}
